import { i18n } from './i18n'
import { sdk } from './sdk'
import { marketPort } from './utils'

export const setInterfaces = sdk.setupInterfaces(async ({ effects }) => {
  const host = sdk.MultiHost.of(effects, 'market')
  const origin = await host.bindPort(marketPort, { protocol: 'http' })
  const market = sdk.createInterface(effects, {
    name: i18n('The market'),
    id: 'ui',
    description: i18n('Public pages and API of the market'),
    type: 'ui',
    masked: false,
    schemeOverride: null,
    username: null,
    path: '',
    query: {},
  })
  return [await origin.export([market])]
})
