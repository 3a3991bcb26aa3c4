     1	fn main() {
     2	    run();
     3	}
