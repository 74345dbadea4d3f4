import { sandboxChatModel } from "../../contract/sandbox.ts";
import { referenceSide, usualStrength } from "../engines/picture/request.ts";
import { speeds } from "../handlers/audio.ts";

/** What the service leaves open of inference. */
export const inferenceTexts = {
  chat: `The one chat model is ${sandboxChatModel}, which says back what the user said last. There must be a message; a role is any text, and content is text. stop, stream and stream_options.include_usage are heeded; any temperature is taken, and changes nothing, as all other fields do.`,
  tokens:
    "A token is a word and the space before it, in the prompt as in the answer; usage counts them. max_tokens, or max_completion_tokens without it, is at least 1 and cuts the answer, with finish_reason length.",
  choices: "A chat has one answer: n, when it is given, must be 1.",
  streams:
    "A stream of chat has an event with the role, one for each token, one with the finish_reason, one with usage when asked for, and [DONE].",
  pictures:
    "Pictures are PNGs that are drawn by rule, one for a request, say SANDBOX and cost nothing. steps is at least 1; any prompt, sampler and cfg_scale is taken, and backend changes nothing.",
  references: `A reference is base64 alone of a PNG, JPEG or WebP of at most ${referenceSide} x ${referenceSide} pixels, and is stretched to the size of the picture. strength is ${usualStrength} when left out, and nothing without a reference.`,
  seeds:
    "A seed is any whole number that JSON holds exactly. Without one a seed is picked, below 2^32, by how many were picked before since the reset; random_seed tells which.",
  speech: `Speech comes as WAV, 16 bits and one channel, at the rate that sample_rate tells, from a small synthesiser; speed is from ${speeds.slowest} to ${speeds.fastest}, other fields change nothing, and the text must have words that its English voice can say.`,
} as const;
