a
*** End Patch
b
