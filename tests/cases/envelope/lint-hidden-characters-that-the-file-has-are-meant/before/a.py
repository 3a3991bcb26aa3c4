a‏
b
