fn f(a: Vec&lt;u8&gt;) { a &amp;&amp; b }
