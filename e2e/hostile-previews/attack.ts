import type { Piece } from '../previews/support/collection.ts'

/** The things that attacks try to reach. */
export interface Scene {
  /** A server that nothing may reach: `http://host:port`. */
  trap: string
  /** Its port for UDP. */
  udpPort: number
  /** A file that everybody on this machine may read. */
  file: string
  /** The key of an honest piece's stills, and its inscription. */
  honestKey: string
  honestId: string
}

export interface Attack {
  name: string
  /** The hostile content. A page that reached anything paints itself red. */
  piece(scene: Scene): Piece
  /** `fails`: no still may come of it. `ends`: it gets a still that is not red, or none. */
  end: 'fails' | 'ends'
  /** An ordinary browser that shows it reaches the trap: this proves that the attack works. */
  isTrapped?: boolean
}

/** A page that is green, and red once it calls `reached`. */
export const page = (script: string, body = ''): string =>
  `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#00ff00">${body}<script>
const reached = () => { document.body.style.background = '#ff0000' }
${script}</script>`

export const html = (body: string): Piece => ({ contentType: 'text/html;charset=utf-8', body })

/** An attack by a page with a script. */
export const scripted = (name: string, script: (scene: Scene) => string): Attack => ({
  name,
  end: 'ends',
  piece: (scene) => html(page(script(scene))),
})

/** An attack by marks alone. */
export const marked = (name: string, body: (scene: Scene) => string): Attack => ({
  name,
  end: 'ends',
  piece: (scene) => html(page('', body(scene))),
})
