#[derive(Debug)]
impl<T> Queue<T>
where
    T: Send,
{
    // push
    fn push(
        &mut self,
        item: T,
    ) {
        old();
    }
#[cfg(unix)]
    fn pop(&mut self) {
        new();
    }
}
