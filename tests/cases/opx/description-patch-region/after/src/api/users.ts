import { log } from '../log';

async function withTimeout<T>(p: Promise<T>, ms = 10000): Promise<T> {
  const t = new Promise<never>((_, r) => setTimeout(() => r(new Error('Request timed out')), ms));
  return Promise.race([p, t]);
}

export async function fetchUser(id: string) {
  try {
    const res = await withTimeout(fetch(`/api/users/${id}`), 10000);
    if (!res.ok) throw new Error(`Request failed: ${res.status}`);
    return res.json();
  } catch (err) {
    console.error('[api] fetchUser error', err);
    throw err;
  }
}

export async function removeUser(id: string) {
  await fetch(`/api/users/${id}`, { method: 'DELETE' });
}
