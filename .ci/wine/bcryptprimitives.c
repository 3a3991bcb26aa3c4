// What wine 8 lacks, and the standard library wants: random bytes.
#include <windows.h>

BOOLEAN WINAPI SystemFunction036(PVOID bytes, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
  return SystemFunction036(bytes, (ULONG)size);
}
