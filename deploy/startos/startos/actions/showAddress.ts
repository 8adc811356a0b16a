import { i18n } from '../i18n'
import { sdk } from '../sdk'
import { marketPort } from '../utils'

export const showAddress = sdk.Action.withoutInput(
  'show-address',
  {
    name: i18n("Show the market's address"),
    description: i18n('The address to fund with the sats that listings and purchases need'),
    warning: null,
    allowedStatuses: 'only-running',
    group: null,
    visibility: 'enabled',
  },
  async () => {
    const answer = await fetch(`http://127.0.0.1:${marketPort}/keys`)
    if (!answer.ok)
      throw new Error(i18n('The market is not open yet. Its address is available once it is open.'))
    const { marketAddress } = (await answer.json()) as { marketAddress: string }
    return {
      version: '1',
      title: i18n("Show the market's address"),
      message: i18n('Send 500,000 sats to this address. The market splits them into coins.'),
      result: { type: 'single', value: marketAddress, copyable: true, qr: true, masked: false },
    }
  },
)
