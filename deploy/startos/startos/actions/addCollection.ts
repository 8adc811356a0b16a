import { storeJson } from '../fileModels/store.json'
import { i18n } from '../i18n'
import { sdk } from '../sdk'
import { databaseUrl, nodeAddress, ordPort } from '../utils'
import { nodeFolder, withCookie } from '../withCookie'

const { InputSpec, Value } = sdk

const input = InputSpec.of({
  parentId: Value.text({
    name: i18n('Id of the parent inscription'),
    required: true,
    default: null,
    patterns: [{ regex: '^[0-9a-f]{64}i[0-9]{1,10}$', description: 'TXIDiN' }],
  }),
  slug: Value.text({
    name: i18n('Short name, for URLs'),
    required: true,
    default: null,
    patterns: [{ regex: '^[a-z0-9_-]{1,60}$', description: 'a-z, 0-9, _ and -' }],
  }),
  name: Value.text({
    name: i18n('Name of the collection'),
    required: true,
    default: null,
    // The value becomes part of a shell command.
    patterns: [
      { regex: '^[\\p{L}\\p{N} .,#_-]{1,60}$', description: 'letters, digits, spaces and . , # _ -' },
    ],
  }),
})

export const addCollection = sdk.Action.withInput(
  'add-collection',
  {
    name: i18n('Add a collection'),
    description: i18n('Creates a collection of the children of an inscription'),
    warning: null,
    allowedStatuses: 'only-running',
    group: null,
    visibility: 'enabled',
  },
  input,
  async () => null,
  async ({ effects, input: { parentId, slug, name } }) => {
    const store = await storeJson.read().once()
    const node = await nodeAddress(effects)
    if (!store || !node) throw new Error(i18n('The market is not open yet'))
    const mounts = sdk.Mounts.of().mountDependency({
      dependencyId: 'bitcoind',
      volumeId: 'main',
      subpath: null,
      mountpoint: nodeFolder,
      readonly: true,
    })
    await sdk.SubContainer.withTemp(effects, { imageId: 'ordbook' }, mounts, 'add-collection', (container) =>
      container.execFail(
        withCookie(
          node,
          `exec node /usr/lib/ordbook/lib/ordbook.js market collection parent ${parentId} ${slug} "${name}"`,
        ),
        {
          user: 'root',
          env: {
            CHAIN: 'main',
            DATABASE_URL: databaseUrl(store.databasePassword),
            ORD_URL: `http://127.0.0.1:${ordPort}`,
          },
        },
        120_000,
      ),
    )
    return {
      version: '1',
      title: name,
      message: i18n('Added. Its inscriptions appear within minutes.'),
      result: null,
    }
  },
)
