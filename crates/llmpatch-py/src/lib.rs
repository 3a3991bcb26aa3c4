//! `llmpatch_json::apply` for Python.
//!
//! `python/llmpatch/__init__.py` is what users see of it.

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use super::*;

    /// Answers a request with a reply, each as JSON.
    #[pyfunction]
    fn apply(py: Python<'_>, request: &[u8]) -> String {
        py.detach(|| llmpatch_json::apply(request))
    }
}
