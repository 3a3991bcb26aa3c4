def money(x) = format('%.2f', x)
