"""The pages of a hybrid storage in two files, read and written in real time, under the policies of the simulator."""
