"""What every room uses: names loaded at their first use, files of users, processes, words for system errors."""
