head
optional context line that exists in file
something between
line to remove
line that stays (context)
another removal
tail
