import { Client, type LocalWallet, signInWeb, type Trader } from '@ordbook/sdk/index.ts'

/** A request of the storefront's pages. Default method: POST if there is a body, otherwise GET. */
export interface Visit {
  method?: 'GET' | 'POST'
  body?: unknown
  cookie?: string
  headers?: Record<string, string>
}

export async function visit(
  origin: string,
  path: string,
  { method, body, cookie, headers }: Visit = {},
): Promise<{ status: number; headers: Headers; body: any }> {
  const response = await fetch(`${origin}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookie ? { cookie } : {}),
      origin,
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** Signs a wallet in at the storefront. Returns the last request and response, and the session cookie. */
export async function signInAtStorefront(
  origin: string,
  wallet: LocalWallet,
  headers: Record<string, string> = {},
) {
  const { ordinalsAddress, paymentAddress } = wallet
  const begun = await visit(origin, '/web/v1/session/challenge', {
    body: { ordinalsAddress, paymentAddress },
    headers,
  })
  const verifications = []
  for (const { challengeId, address, message } of begun.body.challenges)
    verifications.push({ challengeId, address, signature: await wallet.signMessage(address, message) })
  const body = { authRequestId: begun.body.authRequestId, verifications }
  const opened = await visit(origin, '/web/v1/session', { body, headers })
  return { opened, body, cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

/** Signs a wallet in at the storefront. Returns a trader that uses the storefront's API. */
export async function traderAtStorefront<W extends LocalWallet>(
  origin: string,
  wallet: W,
): Promise<Trader & { wallet: W }> {
  const client = new Client(`${origin}/web/v1`)
  const { walletBindings } = await signInWeb(client, wallet, new URL(origin).host)
  return { client, wallet, walletBindingId: walletBindings[0]!.walletBindingId }
}
