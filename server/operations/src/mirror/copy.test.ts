import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { hashOf, lineOf, startOf } from '../order-log/chain.ts'
import { Copy } from './copy.ts'

const IDENTITY = { network: 'regtest', market: 'ab'.repeat(32) }

const lineAfter = (last: { position: number; hash: string }) => {
  const bytes = Buffer.from(lineOf(last.position + 1, last.hash, { text: 'a'.repeat(100) }))
  return { position: last.position + 1, hash: hashOf(bytes), bytes }
}

it('Copy.append writes the rest after a partial write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const copy = await Copy.open(folder, IDENTITY, new Date())
  const first = lineAfter({ position: 0, hash: startOf(IDENTITY.network) })
  // A nearly full disk writes what fits.
  const write = await spyOnWrite()
  write.spy.mockImplementationOnce(function (this: object, bytes, offset, length, position) {
    return write.original.call(this, bytes, offset, length - 10, position)
  })
  await copy.append([first])
  await copy.append([lineAfter(first)])
  const { last, size } = copy
  await copy.close()

  const reopened = await Copy.open(folder, IDENTITY, new Date())
  expect({ last: reopened.last, size: reopened.size }).toEqual({ last, size })
  await reopened.close()
})

type WriteBytes = (
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number; buffer: Uint8Array }>

/** `node:fs/promises` does not export the class of its file handles. */
async function spyOnWrite() {
  const handle = await open('/dev/null')
  const prototype = Object.getPrototypeOf(handle) as { write: WriteBytes }
  await handle.close()
  const original = prototype.write
  const spy = vi.spyOn(prototype, 'write')
  onTestFinished(() => spy.mockRestore())
  return { original, spy }
}
