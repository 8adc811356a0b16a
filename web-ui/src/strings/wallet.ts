export const accountSwitch = {
  title: 'Your wallet switched accounts',
  to: 'Your wallet switched to',
  unnamed: 'Your wallet switched to another account.',
  ask: "Continue with this account? You sign a message, then the pages show the account's items.",
  signedIn: 'You are signed in as',
  stay: 'To keep this account, switch back in the wallet before you sign.',
  go: 'Switch account',
  keep: 'Not now',
} as const

export const connecting = {
  title: 'Connect wallet',
  windows:
    'Your wallet opens 2 or 3 times: once to connect, and once per address to sign a message. No transaction, no cost.',
  inBrowser: 'In this browser',
  lastUsed: 'Last used',
  demo: 'Demo',
  signsAll: 'Signs every trade on this market',
  signsSome: 'Signs some trades on this market',
  notTested: 'Not tested with this market',
  ofDemo: 'Its coins are worthless',
  test: (wallet: string) => `Test ${wallet}`,
  testShort: 'Test',
  more: 'More wallets',
  install: 'Install',
  byHand: 'Hardware wallets and nodes',
  noWallet: (withCart: boolean) =>
    `This browser has no wallet. Continue in the browser of your wallet app: it opens this page${withCart ? ', with your cart' : ''}.`,
  openIn: (wallet: string) => `Open in ${wallet}`,
  copyLink: 'Copy link',
  copied: 'Link copied',
  paste: "Paste it into your wallet's browser",
  step: (number: number, of: number | null) => (of === null ? `Step ${number}` : `${number} of ${of}`),
  share: (wallet: string) => `Approve the connection in ${wallet}.`,
  sign: 'Sign the message for your',
  addresses: { ordinals: 'ordinals address', payment: 'payment address' },
  noWindow: (wallet: string) => `No window? Open ${wallet} from the toolbar of your browser.`,
} as const
