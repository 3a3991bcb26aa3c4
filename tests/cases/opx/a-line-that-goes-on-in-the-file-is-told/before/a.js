let a = compute(x, y);
let b = 2;
