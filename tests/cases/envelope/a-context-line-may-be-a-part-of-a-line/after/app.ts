export async function run() {
  new_()
}
