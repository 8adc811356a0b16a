import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const TIMEOUT_MS = 10_000

/**
 * Reports to systemd that this process is ready, if it is a service with Type=notify. Node has no datagram sockets, so `systemd-notify`
 * sends the message (sd_notify(3)). Throws if it fails.
 */
export async function notifyReady(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (!environment.NOTIFY_SOCKET) return
  await promisify(execFile)('systemd-notify', ['--ready'], { env: environment, timeout: TIMEOUT_MS })
}
