pub struct Config {
    pub host: String,
    pub port: u16,
}

impl Config {
    pub fn local() -> Self {
        let host = "localhost".to_string();
        let port = 9000;
        Self { host, port }
    }

    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}
