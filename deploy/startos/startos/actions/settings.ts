import { storeJson } from '../fileModels/store.json'
import { i18n } from '../i18n'
import { sdk } from '../sdk'

const { InputSpec, Value } = sdk

const fee = (name: string) =>
  Value.number({ name, required: true, default: 100, min: 0, max: 5000, integer: true, units: 'bps' })

const input = InputSpec.of({
  publicUrl: Value.text({
    name: i18n('Address that visitors use'),
    description: i18n('Wallets sign for this address. Visitors cannot sign in at any other address.'),
    required: true,
    default: null,
    placeholder: 'https://market.example',
    inputmode: 'url',
    patterns: [{ regex: '^https?://[^/]+$', description: 'http(s)://host or http(s)://host:port' }],
  }),
  marketName: Value.text({ name: i18n('Name of the market'), required: true, default: 'ordbook' }),
  sellerFeeBps: fee(i18n('Fee on sellers, in basis points of the price')),
  buyerFeeBps: fee(i18n('Fee on buyers, in basis points of the price')),
})

export const settings = sdk.Action.withInput(
  'settings',
  {
    name: i18n('Settings'),
    description: i18n('Address, name and fees of the market'),
    warning: null,
    allowedStatuses: 'any',
    group: null,
    visibility: 'enabled',
  },
  input,
  async () => {
    const store = await storeJson.read().once()
    return store ? { ...store, publicUrl: store.publicUrl ?? undefined } : null
  },
  async ({ effects, input: { publicUrl, marketName, sellerFeeBps, buyerFeeBps } }) => {
    await storeJson.merge(effects, { publicUrl, marketName, sellerFeeBps, buyerFeeBps })
  },
)
