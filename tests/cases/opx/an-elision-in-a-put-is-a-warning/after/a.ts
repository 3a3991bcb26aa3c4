export async function load() {
  // ... existing code ...
  return b;
}
