"""The twin of the NVM middleware (thesis chapter 3): requests, two queues, two pools of threads, windows."""
