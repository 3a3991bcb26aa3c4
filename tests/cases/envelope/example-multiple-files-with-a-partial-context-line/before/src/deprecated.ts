export const GONE = 1
