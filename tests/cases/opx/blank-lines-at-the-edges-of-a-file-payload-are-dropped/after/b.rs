fn b() {

    c();  

}
