import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canRead } from './previews.ts'

it('canRead returns false for a private folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-closed-'))
  const file = join(folder, 'main.ts')
  writeFileSync(file, '')
  try {
    // Only root can start programs as another user.
    if (process.getuid?.() !== 0) return
    const other = { uid: 61_613, gid: 61_613 }
    expect(canRead(file, other)).toBe(false)
    chmodSync(folder, 0o755)
    expect(canRead(file, other)).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
