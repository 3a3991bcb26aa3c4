head
optional context line that exists in file
something between
line to add
line that stays (context)
replacement line
tail
