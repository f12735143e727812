/** The characters of names that a drive cannot hold, and rclone writes as look-alikes. */
export const DEFAULT_ENCODING =
  'Slash,LtGt,DoubleQuote,Colon,Question,Asterisk,Pipe,BackSlash,Del,Ctl,LeftSpace,LeftTilde,' +
  'RightSpace,RightPeriod,InvalidUtf8,Dot';
