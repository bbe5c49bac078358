/** Enhancements of the HTML pages. Every page works without them, and they are independent. */

import { editOnDoubleClick } from './cells.js'
import { addCopyButton } from './display.js'
import { askBeforeLeaving, countCharacters, sendInPlace } from './forms.js'
import { addSelectAll } from './lists.js'
import { followChanges, keepCurrent } from './live.js'
import { registerPasskey, usePasskey } from './passkeys.js'
import { enhancePicker } from './picker.js'
import { useShortcut } from './shortcuts.js'
import { editLocally, filterLocally, showLocally } from './times.js'

const enhancements = {
  '[data-live]': keepCurrent,
  '[data-changes]': followChanges,
  'time[datetime*="T"]': showLocally,
  'thead .pick': addSelectAll,
  '.snippet': addCopyButton,
  '[data-picker]': enhancePicker,
  'form[data-send]': sendInPlace,
  'form[data-passkey-options]': registerPasskey,
  'form[data-passkey]': usePasskey,
  '.field [maxlength]:not([type="password"])': countCharacters,
  '.field [type="datetime-local"]': editLocally,
  'input[data-instant]': filterLocally,
  'form[data-ask]': askBeforeLeaving,
}

/** Adds to a part of the page what the scripts show in it. */
function enhance(part) {
  for (const [selector, add] of Object.entries(enhancements)) {
    for (const element of part.querySelectorAll(selector)) add(element)
  }
}

enhance(document)
document.addEventListener('shown', ({ target }) => enhance(target))
document.addEventListener('keydown', useShortcut)
document.addEventListener('dblclick', editOnDoubleClick)
