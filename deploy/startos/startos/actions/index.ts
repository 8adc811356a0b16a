import { sdk } from '../sdk'
import { addCollection } from './addCollection'
import { settings } from './settings'
import { showAddress } from './showAddress'

export const actions = sdk.Actions.of().addAction(settings).addAction(showAddress).addAction(addCollection)
