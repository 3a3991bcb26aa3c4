struct Server;

impl Server {
fn start(&self) {
    new();
}
}
