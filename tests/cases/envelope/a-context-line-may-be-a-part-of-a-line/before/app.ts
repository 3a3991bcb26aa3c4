export async function run() {
  old()
}
