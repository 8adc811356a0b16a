import type { Verb } from '../verb.ts'

export const signIn: Verb = {
  usage: '[--end]',
  summary: 'Sign in to the market and store the session',
  details: '  --end                End the session of this wallet instead',
  options: { end: { type: 'boolean' } },
  async run(desk, args) {
    if (args.has('end')) {
      const { wallet } = await desk.own()
      const cookie = (await desk.state()).sessions[wallet.ordinalsAddress]
      if (cookie !== undefined) {
        desk.client.headers.cookie = cookie
        await desk.client.call('endWebSession', {})
        await desk.keepSession(wallet, null)
      }
      return { document: { ended: cookie !== undefined }, text: 'signed out' }
    }
    const { walletBindings, expiresAt } = await desk.signIn()
    const { ordinalsAddress, paymentAddress } = (await desk.own()).wallet
    return {
      document: { market: desk.config.market, ordinalsAddress, paymentAddress, walletBindings, expiresAt },
      text: [
        `signed in at ${desk.config.market} until ${expiresAt}`,
        `inscriptions at ${ordinalsAddress}, payments at ${paymentAddress}`,
      ],
    }
  },
}
