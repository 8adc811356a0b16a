import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { createStore } from '../state/create-store.ts'

/** A pending request whose wallet window may be hidden or lost. */
interface LateRequest {
  wallet: string
  /** Repeats the request and ignores the earlier response. */
  askAgain(): void
  stop(): void
}

/** Delay before offering a retry. */
const TIMEOUT_MS = 60_000

/** The pending request. There is at most one. */
export const lateRequest = createStore<LateRequest | null>(null)

interface Attempt {
  /** True after another attempt started or the visitor stopped waiting. */
  isSuperseded(): boolean
  restartTimeout(): void
}

/** Waits for a wallet without a deadline. Throws WalletRefused if the visitor stops waiting. */
function waitForWallet<T>(wallet: string, request: (attempt: Attempt) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let attempts = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const reset = () => {
      clearTimeout(timer)
      lateRequest.set(null)
    }
    const endAttempt = () => {
      attempts++
      reset()
    }
    const start = () => {
      const attempt = ++attempts
      const isSuperseded = () => attempt !== attempts
      const stop = () => {
        endAttempt()
        reject(new WalletRefused(`${wallet} did not respond, and you stopped waiting. Try again.`))
      }
      const wait = () => {
        reset()
        timer = setTimeout(() => lateRequest.set({ wallet, askAgain: start, stop }), TIMEOUT_MS)
      }
      const end =
        <V>(act: (value: V) => void) =>
        (value: V) => {
          if (isSuperseded()) return
          endAttempt()
          act(value)
        }
      wait()
      request({ isSuperseded, restartTimeout: wait }).then(end(resolve), end(reject))
    }
    start()
  })
}

/** Lets the visitor repeat pending requests of an adapter. */
export const patient = (adapter: Adapter): Adapter => ({
  ...adapter,
  connect: (network) => waitForWallet(adapter.name, () => adapter.connect(network)),
  signMessage: (account, message) => waitForWallet(adapter.name, () => adapter.signMessage(account, message)),
  signPsbts(requests, accounts, onSigned) {
    const signed: string[] = []
    return waitForWallet(adapter.name, async ({ isSuperseded, restartTimeout }) => {
      const from = signed.length
      const rest = await adapter.signPsbts(requests.slice(from), accounts, (n, psbtBase64) => {
        // A superseded attempt must open no more wallet windows.
        if (isSuperseded()) throw new WalletRefused('The request was sent again.')
        onSigned?.(from + n, psbtBase64)
        signed[from + n] = psbtBase64
        restartTimeout()
      })
      return [...signed.slice(0, from), ...rest]
    })
  },
})
