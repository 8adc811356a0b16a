import type { Piece } from '../previews/support/collection.ts'

/** What attacks try to reach. */
export interface Scene {
  /** A server that must not be reached: `http://host:port`. */
  trap: string
  /** The trap's UDP port. */
  udpPort: number
  /** A world-readable file. */
  file: string
  /** Key of the thumbnails of an honest item, and its inscription id. */
  honestKey: string
  honestId: string
}

export interface Attack {
  name: string
  /** The hostile content. A page turns red if it reaches anything. */
  piece(scene: Scene): Piece
  /** `fails`: there must be no thumbnail. `ends`: there is none, or it is not red. */
  end: 'fails' | 'ends'
  /** In an ordinary browser the attack reaches the trap, which proves that it works. */
  isTrapped?: boolean
}

/** A green page that turns red when it calls `reached`. */
export const page = (script: string, body = ''): string =>
  `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#00ff00">${body}<script>
const reached = () => { document.body.style.background = '#ff0000' }
${script}</script>`

export const html = (body: string): Piece => ({ contentType: 'text/html;charset=utf-8', body })

/** An attack by a script. */
export const scripted = (name: string, script: (scene: Scene) => string): Attack => ({
  name,
  end: 'ends',
  piece: (scene) => html(page(script(scene))),
})

/** An attack by markup alone. */
export const marked = (name: string, body: (scene: Scene) => string): Attack => ({
  name,
  end: 'ends',
  piece: (scene) => html(page('', body(scene))),
})
