struct Server;

impl Server {
fn start(&self) {
    old();
}
}
