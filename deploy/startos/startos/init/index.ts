import { utils } from '@start9labs/start-sdk'
import { actions } from '../actions'
import { settings } from '../actions/settings'
import { restoreInit } from '../backups'
import { setDependencies } from '../dependencies'
import { storeJson } from '../fileModels/store.json'
import { i18n } from '../i18n'
import { setInterfaces } from '../interfaces'
import { sdk } from '../sdk'
import { versionGraph } from '../versions'

const setUp = sdk.setupOnInit(async (effects, kind) => {
  if (kind === 'install') {
    await storeJson.merge(effects, {
      databasePassword: utils.getDefaultString({ charset: 'a-z,A-Z,1-9', len: 32 }),
    })
    await sdk.action.createOwnTask(effects, settings, 'critical', {
      reason: i18n('Set the address that visitors use'),
    })
  }
  if (kind === 'restore') await storeJson.merge(effects, { isRestored: true })
})

export const init = sdk.setupInit(restoreInit, versionGraph, setUp, setInterfaces, setDependencies, actions)
export const uninit = sdk.setupUninit(versionGraph)
