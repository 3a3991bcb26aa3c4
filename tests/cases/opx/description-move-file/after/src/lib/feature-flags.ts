export const flags = new Map<string, boolean>();
