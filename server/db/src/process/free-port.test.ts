import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { assertPortFree, freePort } from './free-port.ts'

it('assertPortFree throws for a port in use', async () => {
  const port = await freePort()
  const at = { host: '127.0.0.1', port }
  await assertPortFree(at)
  const other = createServer()
  await new Promise<void>((done) => other.listen(port, at.host, done))
  await expect(assertPortFree(at)).rejects.toThrow(
    `PORT: port ${port} on 127.0.0.1 is in use. Set PORT to a free port, or to 0 for any free port.`,
  )
  const waiting = assertPortFree(at, 20_000)
  setTimeout(() => other.close(), 200)
  await waiting
})
