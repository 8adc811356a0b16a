/** How a wallet lists its inscriptions, according to its documentation. */
interface Holdings {
  adapter: string
  isSeparate: boolean
  /** The call that lists inscriptions; null if none is documented. */
  call: string | null
  /** Date of the last comparison with the source. */
  checked: string
  source: string
}

export const HOLDINGS: readonly Holdings[] = [
  {
    adapter: 'xverse',
    isSeparate: true,
    call: '`ord_getInscriptions`, which asks for permission',
    checked: '2026-11-26',
    source: 'https://docs.xverse.app/sats-connect/bitcoin-methods/ord_getinscriptions',
  },
  {
    adapter: 'unisat',
    isSeparate: false,
    call: '`getInscriptions`',
    checked: '2026-11-26',
    source:
      'https://github.com/unisat-wallet/unisat-dev-docs/blob/master/wallet-api/api-docs/manage-assets.md',
  },
  {
    adapter: 'leather',
    isSeparate: true,
    call: null,
    checked: '2026-11-26',
    source: 'https://github.com/leather-io/mono',
  },
  {
    adapter: 'okx',
    isSeparate: false,
    call: '`getInscriptions`, since extension 2.77.1; not on testnet and signet',
    checked: '2026-11-26',
    source: 'https://web3.okx.com/onchainos/dev-docs/sdks/chains/bitcoin/provider',
  },
  {
    adapter: 'magic-eden',
    isSeparate: true,
    call: null,
    checked: '2026-11-26',
    source: 'https://docs.magiceden.io/docs/signing-a-transaction',
  },
  {
    adapter: 'phantom',
    isSeparate: true,
    call: null,
    checked: '2026-11-26',
    source: 'https://docs.phantom.com/bitcoin/provider-api-reference',
  },
]
