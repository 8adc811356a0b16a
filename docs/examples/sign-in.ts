import { demoWallets } from '@ordbook/sdk/demo-wallets'

/**
 * Signs the first demo wallet in with plain requests, and prints the session token for curl. It trusts the text of the challenges; `enter` of
 * the SDK rebuilds it first.
 */
const market = process.env.MARKET ?? 'http://127.0.0.1:4000'
const { first: wallet } = demoWallets('regtest')

async function post(path: string, body: object): Promise<any> {
  const response = await fetch(`${market}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

const { ordinalsAddress, paymentAddress } = wallet
const { authRequestId, challenges } = await post('/auth/challenge', { ordinalsAddress, paymentAddress })
const verifications = []
for (const { challengeId, address, message } of challenges) {
  const signature = await wallet.signMessage(address, message)
  verifications.push({ challengeId, address, signature })
}
const { sessionToken } = await post('/auth/verify', { authRequestId, verifications })
console.log(sessionToken)
