export { echo } from "./chat.ts";
export { drawPicture } from "./picture/draw.ts";
export type { PictureRequest } from "./picture/request.ts";
export { UnreadableReference } from "./picture/unreadable-reference.ts";
export { MissingEngine, NothingToSay } from "./speech/errors.ts";
export { speak } from "./speech/speak.ts";
