a‏
c‏
