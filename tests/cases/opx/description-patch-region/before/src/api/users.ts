import { log } from '../log';

export async function fetchUser(id: string) {
  const res = await fetch(`/api/users/${id}`);
  if (!res.ok) throw new Error(`Request failed: ${res.status}`);
  return res.json();
}

export async function removeUser(id: string) {
  await fetch(`/api/users/${id}`, { method: 'DELETE' });
}
