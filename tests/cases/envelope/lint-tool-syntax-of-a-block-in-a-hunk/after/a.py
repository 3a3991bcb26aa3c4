<<<<<<< SEARCH
:start_line:1
x = 2
