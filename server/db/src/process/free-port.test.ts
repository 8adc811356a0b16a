import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort, refusePortInUse } from './free-port.ts'

it('rejects a port in use, immediately or after a wait', async () => {
  const port = await freePort()
  const at = { host: '127.0.0.1', port }
  await refusePortInUse(at)
  const other = createServer()
  await new Promise<void>((done) => other.listen(port, at.host, done))
  await expect(refusePortInUse(at)).rejects.toThrow(
    `PORT: found ${port}, at which another program listens on 127.0.0.1; expected a free port, or 0 for any`,
  )
  const waiting = refusePortInUse(at, 20_000)
  setTimeout(() => other.close(), 200)
  await waiting
})
