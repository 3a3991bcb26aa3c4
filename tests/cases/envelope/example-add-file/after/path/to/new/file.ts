line 1 of content
line 2 of content
line 3 of content
