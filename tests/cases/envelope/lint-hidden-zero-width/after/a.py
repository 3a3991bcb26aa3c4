a​b
