one long line
another
