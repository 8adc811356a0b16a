import { statfsSync } from 'node:fs'

/** Returns the bytes that an unprivileged process can still write to the file system of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
