/** A wallet app whose own browser opens a page by a link. */
interface WalletBrowser {
  name: string
  linkOf(url: string): string
}

/**
 * Wallets that document such a link. UniSat's links only connect and sign for apps (unisat-wallet/dev-support#105), and Magic Eden
 * documents none.
 */
export const walletBrowsers: readonly WalletBrowser[] = [
  // docs.xverse.app/sats-connect/guides/mobile-integration
  {
    name: 'Xverse',
    linkOf: (url) => `https://connect.xverse.app/browser?url=${encodeURIComponent(url)}`,
  },
  // web3.okx.com/build/docs/waas/app-universal-link
  {
    name: 'OKX Wallet',
    linkOf: (url) =>
      `https://web3.okx.com/download?deeplink=${encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${encodeURIComponent(url)}`)}`,
  },
  // github.com/leather-io/mono/pull/1633
  { name: 'Leather', linkOf: (url) => `leather://browser?url=${encodeURIComponent(url)}` },
]
