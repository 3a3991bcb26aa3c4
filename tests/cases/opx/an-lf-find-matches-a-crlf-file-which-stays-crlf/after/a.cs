class A
{
    int x;
    int z;

    int y;
}
